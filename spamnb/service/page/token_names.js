// Names tokens that are not words: `shape:number=5` is a 5-digit number.

const COUNTED = {
  caps: "words in capitals",
  digits: "digits",
  email: "mail addresses",
  emoji: "emoji",
  exclaim: "exclamation marks",
  money: "amounts of money",
  phone: "phone numbers",
  question: "question marks",
  url: "links",
};
const ENDS = { word: "a word", num: "a number" };

/** Returns the name of a token for people; words are their own name. */
export function tokenName(token) {
  const [, shape, value] = /^shape:([a-z]+)=(.+)$/s.exec(token) ?? [];
  if (shape === "number") return `${value}-digit number`;
  if (shape === "sign") return `sign ${value}`;
  if (shape === "end") return `ends with ${ENDS[value] ?? value}`;
  if (shape === "length") return `length ${value}`;
  if (!COUNTED[shape]) return token;
  return value === "0" ? `no ${COUNTED[shape]}` : `${COUNTED[shape]}: ${value}`;
}
