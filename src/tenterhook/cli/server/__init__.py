"""A resident engine: agents that start a process for each hook pay for a tiny client only.

    tenter fire --connects--> worker (one for each folder, environment, umask and limits) --fires--> the event
         \\---the first time--> server --forks--> worker

`client` is what `tenter fire` and `tenter hook` try first, `talk` how the two sides speak, `place` where. `server`
listens, forks workers and ends with the last of them; `ready` is what it does before. `world` is what a worker takes on
of its clients, and what it looks at before it believes one. `worker` fires events in threads, `engines` keeps engines
as long as a new one would be the same, which `stamps` and `absent` tell; `firing` is `tenter fire` in a worker, `turns`
how its functions are called and given up, `streams` its stdout and stderr. `forks` runs `tenter hook`, each in a fork.
"""
