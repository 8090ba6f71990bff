"""A spam filter service as many write it: FastAPI and a scikit-learn pipeline, in about 20 lines."""

import sys

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from benchmarks.serve_messages import training_messages

labels, texts = zip(*training_messages(), strict=True)
model = make_pipeline(CountVectorizer(ngram_range=(1, 2)), MultinomialNB()).fit(texts, labels)
app = FastAPI()


class Message(BaseModel):
    text: str


@app.post("/predict")
def predict(message: Message) -> dict[str, float | str]:
    proba = model.predict_proba([message.text])[0]
    return {"verdict": str(model.classes_[proba.argmax()]), "probability": float(proba[1])}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=False, log_level="error")
