# What each program says of itself.
encode --help
encode-search --help
encode-import --help
encode-new --help
encode-inspect --help
encode-plot --help
encode-bench --help
