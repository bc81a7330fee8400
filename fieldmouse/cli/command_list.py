"""The commands in the order of the help. Only the module of the one that runs is imported."""

from typing import NamedTuple


class CommandEntry(NamedTuple):
    """A command of the command line; a test compares its help with that of the command itself."""

    name: str
    module: str
    help: str  # the first sentence of its help
    variable: str = ""  # its name in the module, if that is not the name of the command


COMMANDS: dict[str, tuple[CommandEntry, ...]] = {
    "Crawl and refresh": (
        CommandEntry("demo", "demo_command", "Run the whole pipeline over a small web on this machine."),
        CommandEntry(
            "init", "crawl_commands", "Create an archive in FOLDER, with a commented fieldmouse.toml."
        ),
        CommandEntry("crawl", "crawl_commands", "Crawl from seeds, and continue with pending pages."),
        CommandEntry("refresh", "crawl_commands", "Visit the pages that are due, within the daily budget."),
        CommandEntry("run", "crawl_commands", "Keep the archive fresh until stopped."),
        CommandEntry("hosts", "host_commands", "List hosts, pause them and resume them."),
        CommandEntry("weight", "refresh_commands", "Set how much the freshness of URL counts."),
        CommandEntry(
            "noise", "refresh_commands", "Show what counts as noise on a host, and decide otherwise."
        ),
    ),
    "Several machines": (
        CommandEntry(
            "worker", "cluster_commands", "Join the crawl of an archive on a server, from this machine."
        ),
        CommandEntry(
            "cluster", "cluster_commands", "Start, show and end the workers of an archive on a server."
        ),
        CommandEntry(
            "move",
            "cluster_commands",
            "Move the state of the archive to TARGET: postgresql://user@server/database, "
            "or `sqlite` for a file.",
        ),
        CommandEntry(
            "sweep", "clean_commands", "Delete objects that nobody needs from the place of archive.content."
        ),
    ),
    "Serve": (
        CommandEntry(
            "serve",
            "serve_commands",
            "Serve the dashboard, the HTTP API and the back-end of the browser extension.",
        ),
        CommandEntry(
            "notify", "change_commands", "Send new changes by webhook and e-mail, as set in [notify]."
        ),
        CommandEntry("token", "serve_commands", "Make, list and revoke the tokens of readers and programs."),
        CommandEntry("submissions", "serve_commands", "List, export and erase what a reader sent."),
    ),
    "Look": (
        CommandEntry("status", "archive_commands", "Show what is in the archive and how fresh it is."),
        CommandEntry(
            "changes",
            "change_commands",
            "List what changed: the place, before, after, why, and how to mute it.",
        ),
        CommandEntry(
            "why", "archive_commands", "Explain the state of URL: fetched, skipped or pending, and why."
        ),
        CommandEntry(
            "report", "report_commands", "Write the overview and the last changes to one HTML file."
        ),
        CommandEntry("search", "query_commands", "Search the titles and main texts of pages."),
        CommandEntry("query", "query_commands", "Query the archive in SQL, read-only."),
        CommandEntry("check", "archive_commands", "Read every record of the archive and report damage."),
        CommandEntry("rebuild", "archive_commands", "Rebuild the database from the WARC, tag and log files."),
        CommandEntry("robots", "archive_commands", "Fetch robots.txt and show whether it allows URL."),
    ),
    "Focus on a topic": (
        CommandEntry("topic", "topic_commands", "Define what a crawl looks for."),
        CommandEntry(
            "classify",
            "topic_commands",
            "Judge every stored page, crawled or imported, by a topic, or sort it into your classes.",
        ),
        CommandEntry(
            "evaluate",
            "topic_commands",
            "Measure a crawl against labels that it did not use, or predictions against what happened.",
        ),
    ),
    "Label with your own classes": (
        CommandEntry(
            "label",
            "label_commands",
            "Label the sites of the archive with your own classes, by their names and pages.",
        ),
    ),
    "Clean": (
        CommandEntry("clean", "clean_commands", "Find templates and copies on hosts with new content."),
        CommandEntry("templates", "clean_commands", "List the templates of each host."),
        CommandEntry(
            "copies", "clean_commands", "List pages that are copies, and hosts that mirror each other."
        ),
        CommandEntry("parked", "clean_commands", "List and edit the known domain-parking services."),
        CommandEntry("redirects", "clean_commands", "List redirect-spam sites."),
    ),
    "Import and export": (
        CommandEntry(
            "import",
            "import_commands",
            "Import WARC files, lists of URLs as seeds, posts that name addresses, or access logs.",
            "import_",
        ),
        CommandEntry(
            "export",
            "export_commands",
            "Write pages to FILE as JSON lines, CSV, Parquet, WARC, WACZ, CDXJ or history.",
        ),
        CommandEntry("compact", "clean_commands", "Replace WARC files by smaller packs."),
        CommandEntry(
            "forget", "forget_command", "Erase every version of each URL, and do not visit it again."
        ),
    ),
    "Measure": (
        CommandEntry("replay", "refresh_commands", "Replay refresh policies over a recorded history."),
        CommandEntry(
            "train", "refresh_commands", "Train models: on the archive's own history, or on labelled texts."
        ),
    ),
    "This program": (
        CommandEntry(
            "version",
            "archive_commands",
            "Print the versions of Fieldmouse, Python and the libraries, and what is missing.",
        ),
        CommandEntry(
            "completion", "archive_commands", "Print a script that completes commands and options in SHELL."
        ),
    ),
}

# Commands inside another one that are in other modules: module and variable.
INNER: dict[str, tuple[tuple[str, str], ...]] = {
    "train": (
        ("spam_commands", "comment_spam"),
        ("spam_commands", "content_spam"),
        ("behaviour_commands", "train_behaviour_"),
    ),
    "evaluate": (("behaviour_commands", "evaluate_behaviour"),),
}
