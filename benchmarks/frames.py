"""CPU until the first useful frame, in a fresh process and a real terminal, against a hello-world app."""

import pty
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

_HELLO = """
import sys, time
from textual.app import App
from textual.widgets import Footer, Header, Static
class Hello(App):
    def compose(self):
        yield Header()
        yield Static("hello")
        yield Footer()
    def on_ready(self):
        self.call_after_refresh(self.done)
    def done(self):
        open(sys.argv[1], "w").write(str(time.process_time()))
        self.exit()
Hello().run()
"""
# The home screen is useful once it shows what is due.
_HOME = """
import sys, time
from pathlib import Path
from studynorm.storage.home import Home
from studynorm.tui.app import StudyNorm
def desk():
    from studynorm.study.desk import open_desk
    return open_desk(Home(Path(sys.argv[2])))
class Probe(StudyNorm):
    def on_ready(self):
        self.look_for_counts()
    def look_for_counts(self):
        if self._desk is None:
            self.set_timer(0.002, self.look_for_counts)
        else:
            self.call_after_refresh(self.done)
    def done(self):
        open(sys.argv[1], "w").write(str(time.process_time()))
        self.exit()
app = Probe(desk, engine=False)
app.run()
app.close_desk()
"""


def first_frame_cpu(runs: int = 5) -> tuple[float, float]:
    """Return the median CPU seconds until the home screen shows what is due, and until hello world shows."""
    home, hello = [], []
    with tempfile.TemporaryDirectory() as folder:
        _measure(_HOME, folder)  # the profile is made once, and modules are compiled
        _measure(_HELLO, folder)
        for _ in range(runs):
            home.append(_measure(_HOME, folder))
            hello.append(_measure(_HELLO, folder))
    return statistics.median(home), statistics.median(hello)


def _measure(program: str, folder: str) -> float:
    out = Path(folder) / "cpu"
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(out), str(Path(folder) / "home")],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={
            "TERM": "xterm-256color",
            "PATH": "/usr/bin:/bin",
            "HOME": folder,
            "COLUMNS": "80",
            "LINES": "24",
        },
    )
    import os
    import select

    while process.poll() is None:
        if select.select([master], [], [], 0.05)[0]:
            os.read(master, 65536)
    os.close(master)
    os.close(terminal)
    return float(out.read_text())
