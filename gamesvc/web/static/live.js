// Live pages. A stream tells that something has moved and carries nothing else; the page then fetches what it shows.
// Where streams cannot be reached, an address of JSON is asked instead, less and less often.

/**
 * A match that has moved: the viewer's version of it, whether it waits for them, the newest message they may read, and what
 * has followed its end.
 * @typedef {{match?: string, version: number, awaited?: boolean, messages?: string, after_end?: string}} Change
 * @typedef {"live" | "polling" | "offline" | "ended"} State
 * "ended": the viewer may no longer follow. Nothing comes after it.
 */

const LONGEST = 20000;

/**
 * Follow a stream: one match's, or that of all matches of the user. A hidden page closes it, and learns on its return
 * what it has missed. Nothing is told twice.
 * @param {string} url the address of the stream
 * @param {{poll?: string, onChange: (change: Change) => void, onState?: (state: State) => void}} options
 *   `poll`: an address that answers with a `Change` as JSON, or with any other JSON that changes
 * @returns {() => void} a function that stops following
 */
export function follow(url, { poll, onChange, onState = () => {} }) {
  /** @type {EventSource | undefined} */
  let source;
  /** @type {number | undefined} */
  let timer;
  let failures = 0;
  let stopped = false;
  /** @type {State | undefined} */
  let state;
  /** @type {Record<string, number | string>} */
  const known = {};

  /** @param {State} now */
  const become = (now) => {
    if (now !== state) onState((state = now));
  };
  /** @param {string} text */
  const tell = (text) => {
    /** @type {Change} */
    const change = JSON.parse(text);
    const match = change.match ?? "";
    const mark = change.version === undefined ? text : `${change.version} ${change.messages} ${change.after_end}`;
    if (known[match] === mark) return;
    known[match] = mark;
    onChange(change);
  };
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    if (stopped || document.hidden) return;
    source = new EventSource(url);
    source.onopen = () => {
      failures = 0;
      become("live");
    };
    source.onmessage = ({ data }) => tell(data);
    source.onerror = () => {
      close();
      // Each page waits a little longer or shorter, so that not all of them come back at the same moment.
      timer = setTimeout(ask, Math.min(LONGEST, 500 * 2 ** failures++) * (0.5 + Math.random()));
    };
  };
  const ask = async () => {
    try {
      if (!poll) throw new Error();
      const answer = await fetch(poll, { headers: { Accept: "application/json" } });
      if ([401, 403, 404].includes(answer.status)) {
        stop();
        return become("ended");
      }
      if (answer.ok) tell(await answer.text());
      become(answer.ok ? "polling" : "offline");
    } catch {
      become("offline");
    }
    open();
  };
  // A stream without a connection is not told of it for minutes; the browser knows at once.
  const lose = () => {
    close();
    become("offline");
  };
  const stop = () => {
    stopped = true;
    close();
    document.removeEventListener("visibilitychange", open);
    removeEventListener("offline", lose);
    removeEventListener("online", ask);
  };

  document.addEventListener("visibilitychange", open);
  addEventListener("offline", lose);
  addEventListener("online", ask);
  open();
  return stop;
}
