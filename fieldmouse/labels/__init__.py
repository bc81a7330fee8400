"""Words of domain names, classes of pages by keywords, and classifiers of pages."""
