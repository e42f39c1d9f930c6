"""The look of our notes in Anki: two note types with fixed numbers and field lists, for light and dark.

Separate from the writing of packages because people change it for other reasons, and seldom the field lists:
Anki does not update notes whose type changed its fields, so a new list needs new numbers.
"""

from typing import Any

_BASIC_ID, _CLOZE_ID = 1_684_301_001, 1_684_301_002


def note_types(genanki: Any) -> tuple[Any, Any]:
    """Return our two note types, recall and cloze; their field lists never change under these ids."""
    details = (
        '{{#Why}}<div class="why">{{Why}}</div>{{/Why}}'
        '{{#Source}}<div class="source">{{Source}}</div>{{/Source}}'
    )
    basic = genanki.Model(
        _BASIC_ID,
        "studynorm recall",
        fields=[{"name": name} for name in ("Front", "Back", "Why", "Source", "Spare1", "Spare2")],
        templates=[
            {
                "name": "Recall",
                "qfmt": '<div class="front">{{Front}}</div>',
                "afmt": f'{{{{FrontSide}}}}<hr id="answer"><div class="back">{{{{Back}}}}</div>{details}',
            }
        ],
        css=_CSS,
    )
    cloze = genanki.Model(
        _CLOZE_ID,
        "studynorm cloze",
        fields=[{"name": name} for name in ("Text", "Why", "Source", "Spare1", "Spare2")],
        templates=[
            {
                "name": "Cloze",
                "qfmt": '<div class="front">{{cloze:Text}}</div>',
                "afmt": f'<div class="front">{{{{cloze:Text}}}}</div>{details}',
            }
        ],
        css=_CSS,
        model_type=genanki.Model.CLOZE,
    )
    return basic, cloze


_CSS = """\
.card {
  margin: 0 auto;
  max-width: 42em;
  padding: 1.2em 1em;
  font: 19px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  color: #1f2430;
  background: #fbfbf8;
  text-align: left;
}
hr { border: 0; border-top: 1px solid #d5d7dd; margin: 1.1em 0; }
p { margin: 0.5em 0; }
code, pre { font: 0.88em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { background: #eceef2; border-radius: 4px; padding: 0.1em 0.3em; }
pre { background: #eceef2; border-radius: 6px; padding: 0.7em 0.9em; overflow-x: auto; }
pre code { background: none; padding: 0; font-size: 1em; }
table { border-collapse: collapse; margin: 0.7em 0; }
th, td { border: 1px solid #d5d7dd; padding: 0.25em 0.7em; text-align: left; }
th { background: #f0f1f4; }
blockquote { margin: 0.7em 0; padding-left: 0.9em; border-left: 3px solid #c5c9d3; }
a { color: #1f5fbf; }
.cloze { font-weight: 600; color: #1f5fbf; }
.why { margin-top: 1em; padding: 0.5em 0.9em; border-left: 3px solid #2f8f6b; background: #eef6f2; }
.source { margin-top: 1.4em; font-size: 0.68em; color: #858b99; }
.nightMode.card, .nightMode .card, .night_mode.card, .night_mode .card {
  color: #e3e5ea;
  background: #1e2128;
}
.nightMode hr, .night_mode hr { border-top-color: #3c414d; }
.nightMode code, .nightMode pre, .night_mode code, .night_mode pre { background: #2b2f39; }
.nightMode pre code, .night_mode pre code { background: none; }
.nightMode th, .nightMode td, .night_mode th, .night_mode td { border-color: #3c414d; }
.nightMode th, .night_mode th { background: #2b2f39; }
.nightMode blockquote, .night_mode blockquote { border-left-color: #4b5160; }
.nightMode a, .night_mode a, .nightMode .cloze, .night_mode .cloze { color: #7fb2ff; }
.nightMode .why, .night_mode .why { background: #22302b; border-left-color: #4fbf95; }
.nightMode .source, .night_mode .source { color: #8b92a1; }
"""
