"""Keeps models in memory and answers clients: HTTP and the spamd protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.service.listening_sockets import Address as Address, parse_address as parse_address
    from spamnb.service.serve_options import (
        LOG_FORMATS as LOG_FORMATS,
        PORT as PORT,
        SPAMD_ADDRESS as SPAMD_ADDRESS,
        ServeOptions as ServeOptions,
        read_token as read_token,
    )
    from spamnb.service.server_start import serve as serve
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "listening_sockets": ["Address", "parse_address"],
            "serve_options": ["LOG_FORMATS", "PORT", "SPAMD_ADDRESS", "ServeOptions", "read_token"],
            "server_start": ["serve"],
        },
    )
