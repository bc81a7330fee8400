"""The store on a relational database: the same classes and queries for every engine."""
