"""`make demo`: house players meet in all three games over equal deals; then a recorded match is verified."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

STEPS = (
    "simulate splito --players 4 --bots planner,greedy,random --deals 20 --jobs 2 --seed demo --records {folder}",
    "verify {folder}/splito-00000-0.json",
    "simulate splitit --players 3 --bots planner,greedy,random --deals 20 --jobs 2 --seed demo",
    "simulate splitter --players 1 --bots planner --deals 50 --jobs 2 --seed demo",
)


def main() -> None:
    splito = str(Path(sys.executable).with_name("splito"))
    with TemporaryDirectory() as folder:
        for step in STEPS:
            arguments = step.format(folder=folder).split()
            print(f"\n$ splito {' '.join(arguments)}\n", flush=True)
            subprocess.run([splito, *arguments], check=True)  # noqa: S603 (our own command)
    print("\nYour turn: .venv/bin/splito play splito")


if __name__ == "__main__":
    main()
