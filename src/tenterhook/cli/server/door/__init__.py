"""The HTTP door: agents with http hooks post their events to 127.0.0.1, and workers of the server answer them.

agent --HTTP--> door (a process with a thread for each call) --as `tenter run` does--> worker

keeper    the server's side: it holds the listening socket, and starts the door again if it dies
process   the door: accepts calls, and ends with the server
request   one HTTP request: what is read of it, within which bounds, and who is refused
relay     hands the event to a worker, as the client of `tenter run` would
context   the folder and the environment that a call is run in
projects  which project a session is about
reply     what `tenter run` would print and exit with, as an HTTP response
opening   `tenter serve --http`: the listening socket, and a server that runs already
"""
