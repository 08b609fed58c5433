"""The conversation of ``atmem demo``: what Mira told an agent, and what it is asked afterwards."""

from dataclasses import dataclass

SUBJECT = "mira"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One statement."""

    on: str
    """Day, ISO 8601."""
    text: str
    corrects: str | None = None
    """Start of the earlier statement that this one supersedes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question, and what it is there to show."""

    text: str
    shows: str


TOLD = (
    Told(on="2026-03-02", text="Juno is my whippet; I adopted her from a shelter in April."),
    Told(on="2026-03-02", text="I work from home on Tuesdays and Thursdays."),
    Told(on="2026-03-05", text="My sister Lena moved to Porto and opened a bakery there."),
    Told(on="2026-03-09", text="I'm allergic to penicillin."),
    Told(on="2026-03-12", text="The spare key is with Mr. Okafor on the second floor."),
    Told(on="2026-03-18", text="Our team has its retrospective every second Friday at 10:00."),
    Told(on="2026-03-20", text="I bought a green folding bike for the way to the station."),
    Told(on="2026-03-29", text="I had my first pottery class on Saturday and loved it."),
    Told(on="2026-04-02", text="My dentist appointment is on 4 May at 9:30."),
    Told(on="2026-04-11", text="Dad turns seventy on 12 June and wants a small party."),
    Told(on="2026-04-15", text="I don't eat mushrooms, not even in soup."),
    Told(
        on="2026-04-20",
        text="My dentist appointment moved to 11 May at 14:00.",
        corrects="My dentist appointment is",
    ),
)

ASKED = (
    Asked(text="Who has the spare key?", shows="a plain question"),
    Asked(
        text="wich days do I wrok from home?",  # codespell:ignore wich,wrok
        shows="misspelt words",
    ),
    Asked(
        text=(
            "I'm packing for next week and before I forget, could you tell me when my dentist appointment is?"
        ),
        shows="a long question, and a statement that was corrected since",
    ),
    Asked(text="Which medicine am I allergic to?", shows="asked in other words"),
    Asked(text="When does my sister's bakery open?", shows="a known topic, an unknown answer"),
    Asked(text="What is the password of the wifi?", shows="nothing about it is stored"),
    Asked(text="Great, thanks a lot!", shows="no question at all"),
)
