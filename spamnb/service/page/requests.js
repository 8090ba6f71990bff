// Sends requests to the server, with the token if it requires one.

const KEY = "spamnb-token";
const dialog = document.getElementById("token-dialog");
let asking = null;

/** Sends a request and returns the JSON of its answer; a refusal is thrown as an Error in the server's words. */
export async function request(path, options = {}) {
  const token = sessionStorage.getItem(KEY);
  const headers = { "X-Spamnb-Page": "1", ...options.headers };
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch {
    throw new Error("The server does not answer.");
  }
  if (response.status === 401) {
    await askToken(token);
    return request(path, options);
  }
  const answer = await response.json().catch(() => ({ error: `Status ${response.status}`, hint: "" }));
  if (!response.ok) throw new Error(answer.hint ? `${answer.error}: ${answer.hint}` : answer.error);
  return answer;
}

/** Posts a message: the text of a string, or the bytes of a mail. */
export function post(path, message) {
  if (message === undefined) return request(path, { method: "POST" });
  const type = typeof message === "string" ? "text/plain" : "message/rfc822";
  return request(path, { method: "POST", body: message, headers: { "Content-Type": type } });
}

/** Asks for the token, once for all requests that wait for it. */
function askToken(refused) {
  if (sessionStorage.getItem(KEY) !== refused) return Promise.resolve();
  asking ??= new Promise((resolve) => {
    const field = document.getElementById("token");
    field.value = "";
    document.getElementById("token-error").hidden = !refused;
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.getElementById("token-form").onsubmit = () => {
      sessionStorage.setItem(KEY, field.value.trim());
      asking = null;
      resolve();
    };
    dialog.showModal();
  });
  return asking;
}
