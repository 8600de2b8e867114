import fc from 'fast-check';
import { expect } from 'vitest';
import type { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { readBlob, writeBlob } from '#console/automation/editor/model/blob.ts';
import { difference } from '#console/automation/editor/model/changes.ts';
import { addNode, configure, place } from '#console/automation/editor/model/commands.ts';
import { type Graph, isObject, nodeKey, placeKey } from '#console/automation/editor/model/graph.ts';
import { test } from '#test/setup/app-test.ts';
import { realDrafts } from './real-drafts.ts';

const paths = ['a', 'b', 'c', 'd', 'e'];
const unit = { node: 'core:set', version: '1.0.0', config: { values: {} }, on_error: 'fail' };
const blob = {
  version: 'v1',
  nodes: paths.map((id, index) => ({ id, ...unit, position: { x: index * 200, y: 0 } })),
  edges: [],
};

const edits = 200;
/** What happens, in the order in which it happens; the same in every run. */
const moments = fc.sample(
  fc.record({
    isFirst: fc.boolean(),
    what: fc.constantFrom<'configure' | 'move' | 'add'>('configure', 'configure', 'move', 'add'),
    path: fc.constantFrom(...paths),
    next: fc.constantFrom<'save' | 'save both' | 'wait' | 'hear' | 'nothing'>(
      'save',
      'save both',
      'wait',
      'hear',
      'nothing',
    ),
    takes: fc.constantFrom<'mine' | 'theirs'>('mine', 'theirs'),
    isUpdate: fc.integer({ min: 0, max: 39 }).map((chance) => chance === 0),
  }),
  { seed: 7, numRuns: 2 * edits },
);

/** Which values somebody saw before they put another in their place: those are replaced knowingly. */
class Replaced {
  readonly #seen = new Map<string, Set<string>>();
  readonly #written = new Map<string, Set<string>>();
  /** The server stores members in an order of its own. */
  readonly #name = (value: unknown): string =>
    JSON.stringify(value, (_, member: unknown) =>
      isObject(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => one.localeCompare(other)))
        : member,
    );

  write(key: string, before: unknown, after: unknown): void {
    const written = this.#written.get(key) ?? new Set();
    this.#written.set(key, written.add(this.#name(after)));
    this.decide(key, before, after);
  }

  decide(key: string, loser: unknown, winner: unknown): void {
    const name = `${key} ${this.#name(winner)}`;
    this.#seen.set(name, (this.#seen.get(name) ?? new Set()).add(this.#name(loser)));
  }

  /** The values that are not in the graph, and that nobody replaced knowingly. */
  lost(graph: Graph): string[] {
    return [...this.#written].flatMap(([key, written]) => {
      const known = new Set<string>();
      const open = [this.#name(graph.get(key))];
      for (let value = open.pop(); value !== undefined; value = open.pop()) {
        if (known.has(value)) continue;
        known.add(value);
        open.push(...(this.#seen.get(`${key} ${value}`) ?? []));
      }
      return [...written].filter((value) => !known.has(value)).map((value) => `${key} ${value}`);
    });
  }
}

test(
  'two editors of one draft on the real server end with the same graph after 200 edits each, and lose none silently',
  { timeout: 180_000 },
  async ({ api }) => {
    const server = await realDrafts(api, blob);
    const sessions = await Promise.all([server.open(), server.open()]);
    const replaced = new Replaced();
    let decided = 0;
    let updates = 0;
    let number = 0;

    const edit = (session: DraftSession, { what, path }: (typeof moments)[number]) => {
      number += 1;
      const at = what === 'add' ? `n${number}` : path;
      const command =
        what === 'add'
          ? addNode(at, { ...unit, config: { values: { number } } }, { x: number, y: 100 })
          : what === 'move'
            ? place(new Map([[at, { x: number, y: number }]]))
            : configure(at, 'values', { number });
      const key = what === 'move' ? placeKey(at) : nodeKey(at);
      const before = session.state().graph.get(key);
      session.perform('Edit', command);
      replaced.write(key, before, session.state().graph.get(key));
    };
    const decide = (session: DraftSession, takes: 'mine' | 'theirs') => {
      for (const { key, mine, theirs } of session.state().conflicts) {
        decided += 1;
        if (takes === 'mine') replaced.decide(key, theirs, mine);
        else replaced.decide(key, mine, theirs);
      }
      if (session.state().conflicts.length > 0) session.decide(() => takes);
    };
    /** A program publishes what it changed of the revision, without a look at the draft. */
    const update = async (path: string) => {
      number += 1;
      updates += 1;
      const published = readBlob((await server.read()).blob);
      const next = configure(path, 'values', { number })(published);
      replaced.write(nodeKey(path), published.get(nodeKey(path)), next.get(nodeKey(path)));
      await server.update(writeBlob(next));
    };

    for (const moment of moments) {
      const [one, other] = moment.isFirst ? sessions : sessions.toReversed();
      if (!one || !other) throw new Error('There are two sessions.');
      edit(one, moment);
      if (moment.isUpdate) await update(moment.path);
      if (moment.next === 'save') void one.flush();
      if (moment.next === 'wait') await one.flush();
      if (moment.next === 'save both') await Promise.all([one.flush(), other.flush()]);
      if (moment.next === 'hear') other.receive(await server.stored());
      // Some conflicts are decided later, when more has come in.
      if (moment.next !== 'nothing') decide(one, moment.takes);
    }
    for (let round = 0; round < 4; round += 1) {
      for (const session of sessions) {
        decide(session, 'mine');
        await session.flush();
        session.receive(await server.stored());
      }
    }

    const [here, there] = sessions.map((session) => session.state());
    expect([here?.saving, there?.saving]).toEqual(['saved', 'saved']);
    expect(difference(here?.graph ?? new Map(), there?.graph ?? new Map())).toEqual([]);
    expect(difference(here?.graph ?? new Map(), readBlob((await server.stored()).blob))).toEqual([]);
    expect(replaced.lost(here?.graph ?? new Map())).toEqual([]);
    expect(decided).toBeGreaterThan(20);
    expect(updates).toBeGreaterThan(3);
    for (const session of sessions) session.close();
  },
);
