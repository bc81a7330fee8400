"""Made-up sites whose facts, main text and true changes are known.

A site has a kind (what its pages say), a template (how they are marked up), a language and a seed. Nothing is
drawn outside the seed and the times that are given, so a fetch can be made again at any time.
"""
