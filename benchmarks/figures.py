"""A measured figure beside its budget, as every benchmark prints it."""

from dataclasses import dataclass

MS = 1000.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure beside its budget, both in `unit`."""

    name: str
    measured: float
    budget: float
    unit: str

    def __str__(self) -> str:
        verdict = "ok" if self.measured <= self.budget else "OVER"
        return f"{self.name:52} {self.measured:9.2f} {self.unit:3} of {self.budget:7.2f}  {verdict}"
