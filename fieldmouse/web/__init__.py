"""The only room with sockets to the outside: names, addresses, requests, robots and manners."""
