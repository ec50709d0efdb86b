-- What a graph does without a worker waits in a queue of that graph, `$graph:<workflow>@<version>`, and no longer in one for all
-- of them: whoever looks for what is due walks the postings of the graphs that it has, and of no others.

update tally.posting p
set queue = '$graph:' || j.workflow || '@' || j.version
from tally.job j
where j.id = p.job_id
    and p.queue = '$graph';
