"""Commands with a mistake, their exit codes, and all that they write to stderr."""

# ruff: noqa: E501  a message is one line

MISTAKES: tuple[tuple[str, int, str], ...] = (
    (
        "-C NOWHERE status",
        4,
        "fieldmouse: there is no archive in NOWHERE; make one with `fieldmouse init NOWHERE`",
    ),
    ("-C FILE status", 4, "Error: Invalid value for '-C': Directory 'FILE' is a file."),
    ("-C EMPTY status", 4, "fieldmouse: there is no archive in EMPTY; make one with `fieldmouse init EMPTY`"),
    (
        "-C NODB status",
        6,
        "fieldmouse: NODB/fieldmouse.sqlite is missing; restore it, or make it anew from the files with `rebuild`",
    ),
    (
        "-C BADTOML status",
        4,
        "fieldmouse: BADTOML/fieldmouse.toml is not valid TOML: Invalid value (at end of document)",
    ),
    ("frobnicate", 4, "Error: No such command 'frobnicate'."),
    ("-C ARCHIVE crwal", 4, "Error: No such command 'crwal'. Did you mean 'crawl'?"),
    ("-C ARCHIVE crawl --frob", 4, "Error: No such option '--frob'."),
    (
        "-C ARCHIVE crawl",
        4,
        "fieldmouse: there is nothing to crawl yet; give seeds: `crawl https://example.org/`",
    ),
    (
        "-C ARCHIVE crawl ftp://example.org/",
        4,
        "fieldmouse: none of the 1 seeds is an http or https address, for example 'ftp://example.org/'",
    ),
    (
        "-C ANONYMOUS crawl https://example.org/",
        4,
        "fieldmouse: set crawl.contact to a web page or e-mail address where site owners reach you (in fieldmouse.toml, with FIELDMOUSE_CRAWL_CONTACT, or with --contact); the public Web is not crawled anonymously",
    ),
    (
        "-C ARCHIVE crawl https://example.org/ --contact me",
        4,
        "fieldmouse: crawl.contact 'me' is neither a web page (https://...) nor an e-mail address",
    ),
    ("-C ARCHIVE crawl --seeds NOWHERE", 4, "fieldmouse: NOWHERE cannot be read: No such file or directory"),
    ("-C ARCHIVE crawl --seeds EMPTY", 4, "Error: Invalid value for '--seeds': File 'EMPTY' is a directory."),
    (
        "-C ARCHIVE crawl --seeds LATIN",
        4,
        "fieldmouse: LATIN is not UTF-8 text: invalid start byte at byte 0",
    ),
    (
        "-C ARCHIVE crawl --pages many",
        4,
        "Error: Invalid value for '--pages': 'many' is not a valid integer.",
    ),
    (
        "-C ARCHIVE crawl --pages -1",
        4,
        "fieldmouse: the options given: crawl.max_pages must be at least 0, not -1",
    ),
    (
        "-C ARCHIVE crawl --workers 0",
        4,
        "fieldmouse: the options given: crawl.workers must be at least 1, not 0",
    ),
    (
        "-C ARCHIVE crawl --delay -2",
        4,
        "fieldmouse: the options given: manners.delay must be at least 0, not -2.0",
    ),
    (
        "-C ARCHIVE crawl -s manners.dealy=2",
        4,
        "fieldmouse: there is no setting manners.dealy; did you mean manners.delay?",
    ),
    (
        "-C ARCHIVE crawl -s manners.delay",
        4,
        "fieldmouse: --set 'manners.delay' must look like section.name=value, for example manners.delay=2",
    ),
    (
        "-C ARCHIVE sweep -s archive.content=EMPTY",
        4,
        "fieldmouse: archive.content says where the archive is, which no single run can change; write it to ARCHIVE/fieldmouse.toml, or set FIELDMOUSE_ARCHIVE_CONTENT",
    ),
    ("-C ARCHIVE crawl -s manners.delay=soon", 4, "fieldmouse: manners.delay must be a number, not 'soon'"),
    (
        "-C ARCHIVE crawl --topic ships",
        4,
        "fieldmouse: there is no topic 'ships' (ARCHIVE/topics/ships.toml is missing); build it with `topic build \"ships\"`",
    ),
    (
        "-C ARCHIVE crawl --class ships",
        4,
        "fieldmouse: this archive has no labels yet; run `label --classes FILE` first",
    ),
    (
        "-C ARCHIVE crawl --learner magic",
        4,
        "fieldmouse: the options given: focus.learner must be one of online, nb2, nb4, nb4-updatable, svm, network, sarsa, best-first, bfs, not 'magic'",
    ),
    ("-C ARCHIVE refresh --pages -3", 4, "Error: Invalid value for '--pages': -3 is not in the range x>=0."),
    (
        "-C ARCHIVE refresh --budget much",
        4,
        "Error: Invalid value for '--budget': 'much' is not a valid float.",
    ),
    ("-C ARCHIVE why", 4, "Error: Missing argument 'URL'."),
    ("-C ARCHIVE robots ftp://x/", 4, "fieldmouse: 'ftp://x/' is not an http or https URL"),
    (
        "-C ARCHIVE query",
        4,
        "fieldmouse: give a query, for example: fieldmouse query 'SELECT url, title FROM pages'",
    ),
    (
        '-C ARCHIVE query "SELEC 1"',
        4,
        'fieldmouse: the query has an error at line 1, column 1: near "SELEC": syntax error',
    ),
    (
        '-C ARCHIVE query "SELECT * FROM ships"',
        4,
        "fieldmouse: the query has an error at line 1, column 15: no such table: ships; did you mean skip?",
    ),
    (
        '-C ARCHIVE query "SELECT titel FROM pages"',
        4,
        "fieldmouse: the query has an error at line 1, column 8: no such column: titel; did you mean title?",
    ),
    (
        '-C ARCHIVE query "DELETE FROM page"',
        4,
        "fieldmouse: the query is refused: only SELECT is allowed, on this archive",
    ),
    (
        "-C ARCHIVE query \"ATTACH 'x' AS y\"",
        4,
        "fieldmouse: the query is refused: only SELECT is allowed, on this archive",
    ),
    (
        '-C ARCHIVE query "SELECT 1; SELECT 2"',
        4,
        "fieldmouse: a query is one statement; the second begins at line 1, column 11",
    ),
    (
        '-C ARCHIVE query "SELECT 1" --format xml',
        4,
        "Error: Invalid value for '--format': 'xml' is not one of 'table', 'csv', 'json', 'jsonl', 'parquet'.",
    ),
    (
        '-C ARCHIVE query "SELECT 1" -o NOWHERE/x.csv',
        4,
        "fieldmouse: NOWHERE/x.csv cannot be written: there is no folder NOWHERE",
    ),
    (
        '-C ARCHIVE query "SELECT 1" --columnar NOWHERE',
        4,
        "fieldmouse: there is no mirror in NOWHERE; make one with `fieldmouse export --parquet NOWHERE`",
    ),
    ("-C ARCHIVE export", 4, "fieldmouse: give the FILE to write, for example pages.parquet"),
    (
        "-C ARCHIVE export x.csv --html",
        4,
        "fieldmouse: --html is for JSON lines, not for csv; its column content is the main text",
    ),
    ("-C ARCHIVE export x.warc.gz --text", 4, "fieldmouse: --text is for JSON lines, not for warc"),
    (
        "-C ARCHIVE hosts pause no.test",
        4,
        "fieldmouse: no.test is not in the archive; `hosts list` has the names of hosts",
    ),
    (
        "-C ARCHIVE export x.bin",
        4,
        "fieldmouse: cannot guess the format from 'x.bin'; use .jsonl, .ndjson, .csv, .parquet, .warc.gz, .warc, .wacz, .cdxj, or give --format",
    ),
    (
        "-C ARCHIVE export NOWHERE/x.jsonl",
        4,
        "fieldmouse: NOWHERE/x.jsonl cannot be written: there is no folder NOWHERE",
    ),
    (
        "-C ARCHIVE export EMPTY",
        4,
        "fieldmouse: cannot guess the format from 'EMPTY'; use .jsonl, .ndjson, .csv, .parquet, .warc.gz, .warc, .wacz, .cdxj, or give --format",
    ),
    (
        "-C ARCHIVE export x.jsonl --since sometime",
        4,
        "Error: Invalid value for '--since': 'sometime' is no time; give 2026-11-17, 2026-11-17T09:30, yesterday or 7d",
    ),
    ("-C ARCHIVE import", 4, "fieldmouse: give WARC files or lists of URLs, --posts FILE, or --visits FILE"),
    ("-C ARCHIVE import NOWHERE", 4, "Error: Invalid value for '[FILES]...': File 'NOWHERE' does not exist."),
    (
        "-C ARCHIVE import BLANK",
        8,
        "fieldmouse: BLANK has no URL; a list has one http or https URL a line, and the name of a WARC file ends in .warc, .warc.gz, .warc.zst, .arc, .arc.gz",
    ),
    (
        "-C ARCHIVE import PAGE",
        8,
        "fieldmouse: PAGE has no URL; a list has one http or https URL a line, and the name of a WARC file ends in .warc, .warc.gz, .warc.zst, .arc, .arc.gz",
    ),
    ("-C ARCHIVE import EMPTY", 4, "Error: Invalid value for '[FILES]...': File 'EMPTY' is a directory."),
    ("-C ARCHIVE import LATIN", 4, "fieldmouse: LATIN is not UTF-8 text: invalid start byte at byte 0"),
    ("-C ARCHIVE import GARBAGE.warc", 8, "fieldmouse: GARBAGE.warc: byte 0: this is not a WARC or ARC file"),
    (
        "-C ARCHIVE import --posts BROKEN",
        8,
        "fieldmouse: broken: no post with an address was found (1 × not JSON)",
    ),
    ("-C ARCHIVE topic build", 4, "Error: Missing argument 'WORDS'."),
    (
        "-C ARCHIVE topic build ships --example NOWHERE",
        4,
        "fieldmouse: NOWHERE cannot be read: No such file or directory",
    ),
    (
        "-C ARCHIVE topic show ships",
        4,
        "fieldmouse: there is no topic 'ships' (ARCHIVE/topics/ships.toml is missing); build it with `topic build \"ships\"`",
    ),
    (
        "-C ARCHIVE classify",
        4,
        "fieldmouse: say which topic: set focus.topic, or give one made with `topic build`",
    ),
    (
        "-C ARCHIVE label",
        4,
        "fieldmouse: say which classes: --classes FILE, or --classes business for the shipped list",
    ),
    (
        "-C ARCHIVE label --classes NOWHERE",
        4,
        "fieldmouse: NOWHERE cannot be read: No such file or directory; give a file of classes, or one of business, adult",
    ),
    (
        "-C ARCHIVE label answer http://never.example/ food",
        4,
        "fieldmouse: this archive has no labels yet; run `label --classes FILE` first",
    ),
    (
        "-C ARCHIVE weight http://never.example/ 3",
        4,
        "fieldmouse: http://never.example/ is not in the archive; no weight was changed",
    ),
    (
        "-C ARCHIVE weight http://never.example/ much",
        4,
        "Error: Invalid value for '[VALUE]': 'much' is not a valid float.",
    ),
    (
        "-C ARCHIVE weight --file LATIN",
        4,
        "fieldmouse: LATIN is not UTF-8 text: invalid start byte at byte 0",
    ),
    (
        "-C ARCHIVE noise list never.example",
        4,
        "fieldmouse: never.example is not in the archive; give a host as `status` and `why` name it",
    ),
    (
        "-C ARCHIVE parked add not-a-thing!",
        4,
        "fieldmouse: 'not-a-thing!' is not a domain of a parking service",
    ),
    (
        "-C ARCHIVE templates never.example",
        4,
        "fieldmouse: never.example has no templates; `fieldmouse clean` builds them from two pages or more",
    ),
    (
        "-C ARCHIVE templates --view http://never.example/",
        4,
        "fieldmouse: there is no stored page at http://never.example/",
    ),
    (
        "-C ARCHIVE clean never.example",
        4,
        "fieldmouse: there is no host never.example in the archive; hosts are written with their port",
    ),
    (
        "-C ARCHIVE search",
        4,
        'fieldmouse: give at least one word to search for, for example: fieldmouse search "new prices"',
    ),
    (
        "-C ARCHIVE changes --since whenever",
        4,
        "Error: Invalid value for '--since': 'whenever' is no time; give 2026-11-17, 2026-11-17T09:30, yesterday or 7d",
    ),
    (
        "-C ARCHIVE notify",
        4,
        "fieldmouse: nobody is to be notified; set notify.webhooks or notify.mail_to in fieldmouse.toml",
    ),
    (
        "-C ARCHIVE token revoke nobody",
        4,
        "fieldmouse: there is no valid token 'nobody'; see `fieldmouse token list`",
    ),
    (
        "-C ARCHIVE submissions list nobody",
        4,
        "fieldmouse: there is no token of 'nobody'; see `fieldmouse token list`",
    ),
    (
        "-C ARCHIVE serve --port 99999",
        4,
        "Error: Invalid value for '--port': 99999 is not in the range 0<=x<=65535.",
    ),
    (
        "-C ARCHIVE serve --host nowhere.invalid",
        4,
        "fieldmouse: cannot listen on nowhere.invalid port 8737: Name or service not known; choose another with --port, or another address with --host",
    ),
    (
        "-C ARCHIVE report NOWHERE/x.html",
        4,
        "fieldmouse: NOWHERE/x.html cannot be written: No such file or directory",
    ),
    (
        "-C ARCHIVE replay NOWHERE",
        4,
        "Error: Invalid value for 'HISTORY': Directory 'NOWHERE' does not exist.",
    ),
    (
        "-C ARCHIVE replay EMPTY",
        8,
        "fieldmouse: EMPTY/pages_meta.csv.gz does not exist: give an archive, or a folder written by `export --format history`",
    ),
    (
        "-C ARCHIVE train static",
        4,
        "fieldmouse: 0 pages were visited 3 times or more; 40 are needed to learn from. Refresh for a while, and train then",
    ),
    (
        "-C ARCHIVE train classes",
        4,
        "fieldmouse: this archive has no labels yet; run `label --classes FILE` first",
    ),
    ("-C ARCHIVE evaluate crawl", 4, "Error: Missing option '--labels'."),
    (
        "-C ARCHIVE completion tcsh",
        4,
        "Error: Invalid value for '{bash|zsh|fish}': 'tcsh' is not one of 'bash', 'zsh', 'fish'.",
    ),
    (
        "-C NODB crawl https://example.org/",
        6,
        "fieldmouse: NODB/fieldmouse.sqlite is missing; restore it, or make it anew from the files with `rebuild`",
    ),
    ("init FILE/a", 4, "fieldmouse: an archive cannot be made in FILE/a: Not a directory"),
    (
        "init ARCHIVE",
        4,
        "fieldmouse: ARCHIVE already holds an archive; choose another folder or use it as it is",
    ),
    (
        "init EMPTY -s nonsense=1",
        4,
        "fieldmouse: --set 'nonsense=1' must look like section.name=value, for example manners.delay=2",
    ),
    (
        "init NOWHERE --contact nobody",
        4,
        "fieldmouse: crawl.contact 'nobody' is neither a web page (https://...) nor an e-mail address",
    ),
    ("demo FILE", 4, "Error: Invalid value for '[FOLDER]': Directory 'FILE' is a file."),
    ("status -C", 4, "Error: Option '-C' requires an argument."),
    (
        "-C ARCHIVE worker",
        4,
        "fieldmouse: a worker joins an archive on a server (archive.store); for several workers on this machine use `crawl --workers N`",
    ),
    (
        "-C ARCHIVE cluster start",
        4,
        "fieldmouse: workers of a cluster need an archive on a server; bring it there with `move`",
    ),
    ("-C ARCHIVE cluster scale", 4, "Error: Missing argument 'WORKERS'."),
    (
        "-C ARCHIVE cluster scale 2",
        4,
        "fieldmouse: workers of a cluster need an archive on a server; bring it there with `move`",
    ),
    (
        "-C ARCHIVE cluster drain",
        4,
        "fieldmouse: give the name of a worker (`cluster status` lists them), or --all",
    ),
    (
        "-C ARCHIVE cluster drain nobody",
        4,
        "fieldmouse: no running worker is called nobody; `cluster status` lists them",
    ),
    ("-C ARCHIVE move", 4, "Error: Missing argument 'TARGET'."),
    (
        "-C ARCHIVE move mysql://x/y",
        4,
        "fieldmouse: archive.store must be empty or begin with postgresql://, not 'mysql://x/y'; for example postgresql://user@server/database",
    ),
    ("-C ARCHIVE move sqlite", 4, "fieldmouse: the archive is there already: ARCHIVE/fieldmouse.sqlite"),
    (
        "-C ARCHIVE move postgresql://127.0.0.1:1/x",
        5,
        'fieldmouse: postgresql://127.0.0.1:1/x cannot be reached (connection failed: connection to server at "127.0.0.1", port 1 failed: Connection refused Is the server running on that host and accepting TCP/IP connections?); start the server, or correct archive.store',
    ),
    (
        "-C ARCHIVE sweep",
        4,
        "fieldmouse: the content of this archive is in its own folder: there is nothing to sweep",
    ),
    (
        "-C ARCHIVE crawl https://example.org/ -s archive.store=postgresql://x",
        4,
        "fieldmouse: archive.store says where the archive is, which no single run can change; write it to ARCHIVE/fieldmouse.toml, or set FIELDMOUSE_ARCHIVE_STORE",
    ),
    (
        "-C ARCHIVE crawl https://example.org/ --workers 1000",
        4,
        "fieldmouse: the options given: crawl.workers must be at most 256, not 1000",
    ),
    (
        "-C ARCHIVE label --classes FILE",
        4,
        "fieldmouse: FILE is not valid TOML: Expected '=' after a key in a key/value pair (at end of document)",
    ),
    (
        "-C ARCHIVE label --classes BLANK",
        4,
        "fieldmouse: blank: there is no class; write a table [classes.NAME] for each",
    ),
    (
        "-C ARCHIVE label --classes business",
        4,
        "fieldmouse: there is no stored page to label yet; crawl or import some first",
    ),
    (
        "-C ARCHIVE label --classes business --gold NOWHERE",
        4,
        "Error: Invalid value for '--gold': File 'NOWHERE' does not exist.",
    ),
    (
        "-C ARCHIVE label review",
        4,
        "fieldmouse: this archive has no labels yet; run `label --classes FILE` first",
    ),
    (
        "-C ARCHIVE label classes show nothing",
        4,
        "fieldmouse: nothing cannot be read: No such file or directory; give a file of classes, or one of business, adult",
    ),
    (
        "-C ARCHIVE classify --classes",
        4,
        "fieldmouse: this archive has no classifier yet; run `label` and `train classes` first",
    ),
    (
        "-C ARCHIVE train behaviour",
        4,
        "fieldmouse: this archive has no visits of readers; `import --visits access.log` brings some, and readers send them to `serve`",
    ),
    (
        "-C ARCHIVE train content-spam FILE",
        8,
        "fieldmouse: FILE: it has no labelled text; give CSV or JSON lines with a text or html, and a label",
    ),
    (
        "-C ARCHIVE train static --learner magic",
        4,
        "fieldmouse: unknown learner 'magic'; known are J48, J48 unpruned, naive Bayes, IBk 1, IBk 2, boosting",
    ),
    (
        "-C ARCHIVE train static --groups 9",
        4,
        "fieldmouse: --groups must be 2 to 6, or 0 to choose from the data, not 9",
    ),
    (
        "-C ARCHIVE evaluate behaviour",
        4,
        "fieldmouse: this archive has no visits of readers; `import --visits access.log` brings some, and readers send them to `serve`",
    ),
    (
        "-C ARCHIVE import --visits NOWHERE",
        4,
        "Error: Invalid value for '--visits': File 'NOWHERE' does not exist.",
    ),
    (
        "-C ARCHIVE import --visits FILE",
        8,
        "fieldmouse: file: no visit of a reader was found (1 × not a log line)",
    ),
    (
        "-C ARCHIVE import --visits BLANK",
        8,
        "fieldmouse: blank: no visit of a reader was found (it is empty)",
    ),
    (
        "-C ARCHIVE import --posts BLANK",
        8,
        "fieldmouse: blank: no post with an address was found (it is empty)",
    ),
    (
        "-C ARCHIVE import --posts PAGE",
        8,
        "fieldmouse: page: no post with an address was found (1 × no address in it)",
    ),
    (
        "-C ARCHIVE noise mute never.example p",
        4,
        "fieldmouse: never.example is not in the archive; give a host as `status` and `why` name it",
    ),
    (
        "-C ARCHIVE noise rules never.example frob",
        4,
        "fieldmouse: 'frob' is no rule; the rules are form, declared, control, template, counter, ticking, return, pool, ticker, and all for all of them",
    ),
    (
        "-C ARCHIVE noise rules never.example return",
        4,
        "fieldmouse: say whether return is to be on or off: noise rules never.example return off",
    ),
    (
        "-C ARCHIVE topic review nothing",
        4,
        "fieldmouse: there is no topic 'nothing' (ARCHIVE/topics/nothing.toml is missing); build it with `topic build \"nothing\"`",
    ),
    (
        "-C ARCHIVE topic label nothing http://x.example/ perhaps",
        4,
        "Error: Invalid value for '{yes|no}': 'perhaps' is not one of 'yes', 'no'.",
    ),
    (
        "-C ARCHIVE token add ann --role king",
        4,
        "Error: Invalid value for '--role': 'king' is not one of 'publish', 'read', 'administer'.",
    ),
    (
        "-C ARCHIVE submissions erase nobody",
        4,
        "fieldmouse: there is no token of 'nobody'; see `fieldmouse token list`",
    ),
    ("-C ARCHIVE forget", 4, "fieldmouse: give the URLs to forget, or --list"),
    ("-C ARCHIVE forget --yes nonsense", 4, "fieldmouse: nonsense is not an http or https URL"),
    (
        "-C ARCHIVE rebuild",
        4,
        "fieldmouse: the database of ARCHIVE is sound and knows more; --force replaces it",
    ),
    (
        "-C ARCHIVE export --parquet FILE",
        4,
        "Error: Invalid value for '--parquet': Directory 'FILE' is a file.",
    ),
    (
        "-C ARCHIVE replay ARCHIVE",
        4,
        "fieldmouse: ARCHIVE has no pages yet; crawl, and refresh for some days first",
    ),
    (
        "-C ARCHIVE replay ARCHIVE --policy magic",
        4,
        "Error: Invalid value for '--policy': 'magic' is not one of 'default', 'live', 'uniform', 'proportional', 'paper', 'bayes', 'bayes-unit', 'random-historic', 'random-bayes', 'nutch', 'optimum', 'hindsight', 'veto', 'index'.",
    ),
    (
        "-C ARCHIVE changes --host never.example",
        4,
        "fieldmouse: never.example is not in the archive; give a host as `status` and `why` name it",
    ),
    (
        "-C ARCHIVE run --budget -1",
        4,
        "fieldmouse: the options given: refresh.budget must be at least 0, not -1.0",
    ),
    (
        '-C ARCHIVE search "((("',
        4,
        'fieldmouse: give at least one word to search for, for example: fieldmouse search "new prices"',
    ),
    (
        "-C ARCHIVE parked remove never.example",
        4,
        "fieldmouse: 'never.example' is not on the list as ns; `parked list` shows what is, and `parked add never.example --kind ns --state regular` keeps it from ever being listed",
    ),
)
