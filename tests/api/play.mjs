// Plays one match with random commands for all its players: node play.mjs CLIENT URL MATCH TOKEN...
// With `fits`: reads [schema, value] pairs from standard input and prints which fit.

import { readFileSync } from "node:fs";

const [client, url, match, ...tokens] = process.argv.slice(2);
const { Client, Problem, fill, fits } = await import(client);

if (url === "fits") {
  const pairs = JSON.parse(readFileSync(0, "utf8"));
  process.stdout.write(JSON.stringify(pairs.map(([schema, value]) => fits(schema, value))));
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
