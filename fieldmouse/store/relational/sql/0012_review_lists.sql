-- Lists of what a person should decide, in the order of an index: the least certain first.

CREATE INDEX label_certainty ON label (classes, (abs(probability - 0.5)), page);
CREATE INDEX judgement_undecided ON judgement (topic, score) WHERE score BETWEEN 0.4 AND 0.6;
