"""A service of FastAPI that does nothing: the latency that is left if scoring takes no time."""

import sys

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.post("/predict")
async def predict() -> dict[str, str]:
    return {"verdict": "ham"}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=False, log_level="error")
