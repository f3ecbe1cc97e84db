// gemini-cli-core's HookSystem, as its own agent makes it: Config, HookSystem, the event before a tool.
//
//     node --expose-gc gemini.mjs PACKAGE FOLDER
//
// Jobs come as lines of JSON, and each is answered with what an event cost; see driving.py.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [location, folder] = process.argv.slice(2);
const loaded = (path) => import(pathToFileURL(join(location, 'dist', 'src', path)));

// Its agent keeps what the debug logger says away from the terminal; stdout is for answers here.
for (const level of ['debug', 'log', 'info']) console[level] = () => {};
const say = (words) => process.stdout.write(`${JSON.stringify(words)}\n`);

const { HookSystem, HookType, HookEventName } = await loaded('hooks/index.js');
const { Config } = await loaded('config/config.js');

const given = { command: 'ls -la' };
const known = new Map();

function entry(hook, place, number) {
  if (!hook.script) return { type: HookType.Command, command: hook.command };
  const script = join(place, `hook${number}.py`);
  writeFileSync(script, hook.script);
  return { type: HookType.Command, command: `${process.env.BENCH_PYTHON} '${script}'` };
}

async function prepared(job) {
  const place = join(folder, String(known.size));
  mkdirSync(place, { recursive: true });
  const groups = job.hooks
    .filter((hook) => !hook.function)
    .map((hook, number) => ({ matcher: hook.matcher ?? 'Bash', hooks: [entry(hook, place, number)] }));
  const config = new Config({
    model: 'none',
    sessionId: 'session',
    targetDir: place,
    cwd: place,
    debugMode: false,
    usageStatisticsEnabled: false,
    hooks: { BeforeTool: groups },
  });
  await config.storage.initialize();
  const system = new HookSystem(config);
  await system.initialize();
  job.hooks
    .filter((hook) => hook.function)
    .forEach((_, number) => {
      const nothing = { type: HookType.Runtime, name: `hook ${number}`, action: async () => null };
      system.registerHook(nothing, HookEventName.BeforeTool, { matcher: 'Bash' });
    });
  const fire = () => system.getEventHandler().fireBeforeToolEvent('Bash', given);
  await prove(system, fire, job);
  return fire;
}

async function prove(system, fire, job) {
  const result = await fire();
  if (!result.success) throw new Error(`a hook failed: ${result.errors}`);
  if (system.getAllHooks().length !== job.hooks.length) throw new Error('a hook was not taken');
}

// What is alive: a collection gives nothing back to the system that later hooks could not use.
function alive() {
  global.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function seconds(fire, number, flight) {
  const each = Math.max(1, Math.floor(number / flight));
  const some = async () => {
    for (let n = 0; n < each; n += 1) await fire();
  };
  const began = process.hrtime.bigint();
  await Promise.all(Array.from({ length: flight }, some));
  return Number(process.hrtime.bigint() - began) / 1e9 / (each * flight);
}

say({ version: JSON.parse(readFileSync(join(location, 'package.json'), 'utf8')).version });
for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  const before = job.memory ? alive() : 0;
  if (!known.has(job.what)) known.set(job.what, await prepared(job));
  const fire = known.get(job.what);
  say({ value: job.memory ? alive() - before : await seconds(fire, job.number, job.flight) });
}
process.exit(0);
