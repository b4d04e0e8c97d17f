"""Asks a model many requests at once."""

import asyncio

from worldforge.models.model import ModelError


async def reply_all(model, requests):
    """Return the replies in order; of a request that fails, the error that it raised."""

    async def one(request):
        try:
            return await model.reply(request)
        except ModelError as error:
            return error

    return await asyncio.gather(*map(one, requests))
