-- Pages close to the line of a topic, on both sides of it, in the order of their distance.

DROP INDEX judgement_undecided;
CREATE INDEX judgement_doubt ON judgement (topic, (abs(score - 0.5))) WHERE abs(score - 0.5) <= 0.1;
