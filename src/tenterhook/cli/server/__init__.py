"""A resident engine. Agents start a process for each hook; with a server that process is only a tiny client.

tenter fire --connects--> worker (one for each folder, environment, umask and limits) --fires--> the event
     \\---the first time--> server --forks--> worker

client          what `tenter fire` and `tenter hook` try first; native/ has the same in C
start_record    what the native client has to know of the Python command
protocol        the server's side of the connection; socket_dir: the folder of the sockets
server          listens, forks workers and ends with the last of them; preload: what it imports beforehand
client_context  the folder, environment and limits of a client, which its worker takes on
worker          accepts clients, each in a thread of its own
fire_worker     `tenter fire` in a worker; event_thread: its time-outs, streams: its stdout and stderr
hook_worker     `tenter hook` in a worker, each call in a fork
engines         a cache of engines; fingerprints and missing_files tell when one is out of date
"""
