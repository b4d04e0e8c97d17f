#!/bin/sh
# @title: submitted to the cluster whose dashboard is at RAY_ADDRESS (`http://HEAD:8265`), or to the only one on
# this machine. If that asks for a token, set RAY_AUTH_MODE=token, so that Ray reads yours.
# Its nodes need `worldforge` on the PATH that Ray was started with, and @folder at that path.
# Ray has no schedule: let cron or the like start this script.
exec ray job submit --no-wait -- @command
