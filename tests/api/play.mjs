// Plays one match with random commands for all its players: node play.mjs CLIENT URL MATCH TOKEN...
// With `asks`: asks URL for /, waiting 0.2 seconds for each answer, and prints the answer or the problem's status.
// With `endless`: asks servers that never end, and prints what the client makes of each; then the messages of a stream in pieces.
// With `fits`: reads [schema, value] pairs from standard input and prints which fit.

import { readFileSync } from "node:fs";

const [client, url, match, ...tokens] = process.argv.slice(2);
const { Client, Problem, fill, fits } = await import(client);

if (url === "fits") {
  const pairs = JSON.parse(readFileSync(0, "utf8"));
  process.stdout.write(JSON.stringify(pairs.map(([schema, value]) => fits(schema, value))));
} else if (url === "endless") {
  const bytes = new TextEncoder();
  const answers = (pull) => (globalThis.fetch = async () => new Response(new ReadableStream({ pull })));
  const asking = Object.assign(new Client("http://localhost", ""), { largest: 1000 });
  const told = [];
  for (const piece of ["[1,1,1,1,", "data: xxxx", "data: 1\n"]) {
    answers((stream) => stream.enqueue(bytes.encode(piece)));
    const answer = piece.startsWith("[") ? asking.call("GET", "/") : asking.follow().next();
    told.push(await answer.catch((fault) => fault.name));
  }
  const pieces = ['id: 4\r\nda', 'ta: {"a":', "1}\r\n", "\r", "\n: still here\n\nid: 5\ndata: [2,\ndata: 3]\n\ndata: 6\n\n"];
  answers((stream) => stream.enqueue(bytes.encode(pieces.shift())));
  const following = asking.follow();
  for (let number = 0; number < 3; number += 1) told.push((await following.next()).value);
  process.stdout.write(JSON.stringify(told));
} else if (url === "asks") {
  const asking = Object.assign(new Client(match, ""), { timeout: 0.2 });
  const told = await asking.call("GET", "/").catch((fault) => fault.status);
  process.stdout.write(JSON.stringify(told));
} else {
  const players = tokens.map((token) => new Client(url, token));
  let commands = 0;
  while ((await players[0].call("GET", `/matches/${match}/`)).status === "running") {
    for (const player of players) {
      for await (const turn of player.turns({ forms: true })) {
        let { forms, etag, awaited = true } = turn;
        while (awaited) {
          const offered = forms.filter((form) => form.weight === "main" || form.weight === "end");
          try {
            const form = offered[Math.floor(Math.random() * offered.length)];
            ({ forms, etag, awaited } = await player.command(match, fill(form), etag));
            commands += 1;
          } catch (fault) {
            if (!(fault instanceof Problem) || fault.status !== 412) throw fault;
            break; // only the match may have moved on
          }
        }
      }
    }
  }
  process.stdout.write(String(commands));
}
