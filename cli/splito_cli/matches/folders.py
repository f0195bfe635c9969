"""Folders that a run of matches writes to: records, asks and faults."""

from dataclasses import dataclass

from cyclopts import Parameter

from splito_cli.arguments import AskFolder, RecordFolder
from splito_cli.matches.faults import FaultFolder


@Parameter(name="*")
@dataclass(frozen=True)
class Folders:
    """The options that choose the folders of a run."""

    records: RecordFolder = None
    log: AskFolder = None
    save_faults: FaultFolder = None

    def create(self) -> None:
        """Create the folders of records and asks; the reports of faults create theirs."""
        for folder in (self.records, self.log):
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)


NO_FOLDERS = Folders()
"""Nothing is written: no option is given."""
