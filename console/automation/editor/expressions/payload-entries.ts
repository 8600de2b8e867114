import type { Trigger } from '#console/automation/editor/canvas/canvas-elements.ts';
import { isObject } from '#console/automation/editor/model/graph.ts';
import { readJson } from '#console/graph/exact-numbers.ts';
import type { ScopeEntry } from './completions.ts';
import { addEntries } from './pinned-entries.ts';

export const payloadPath = 'trigger.payload';

type Members = Readonly<Record<string, NonNullable<ScopeEntry['type']>>>;

/** What the payload of each type of trigger holds, whatever its sender says. */
const declared: Readonly<Record<Trigger['type'], Members>> = {
  WEBHOOK: { body: 'OBJECT', query: 'OBJECT', headers: 'OBJECT', method: 'STRING' },
  EVENT: { data: 'OBJECT', topic: 'STRING', id: 'STRING', time: 'STRING', tenant_id: 'STRING', metadata: 'OBJECT' },
  SCHEDULE: { scheduled_at: 'STRING', fired_at: 'STRING', timezone: 'STRING', cron: 'STRING' },
  POLL: { record: 'OBJECT', records: 'ARRAY', polled_at: 'STRING' },
  MANUAL: {},
};

type Types = readonly Pick<Trigger, 'type'>[];

/**
 * The entries of a workflow without a run. The payload has the members of a payload that the author gave, or else those of a described message,
 * or else those that each type of trigger always has.
 */
export function withPayload(entries: readonly ScopeEntry[], payload: unknown, triggers: Types): readonly ScopeEntry[] {
  const isDescribed = entries.some(({ path }) => path.startsWith(`${payloadPath}.`));
  return entries.flatMap((entry) => {
    if (payload !== undefined && entry.path.startsWith(`${payloadPath}.`)) return [];
    if (entry.path !== payloadPath || (isDescribed && payload === undefined)) return [entry];
    if (payload !== undefined) {
      const found: ScopeEntry[] = [];
      addEntries(entry, payload, found);
      return found;
    }
    const members = Object.entries(Object.assign({}, ...triggers.map(({ type }) => declared[type])) as Members);
    return [
      entry,
      ...members.map(([name, type]): ScopeEntry => ({
        ...entry,
        name,
        path: `${payloadPath}.${name}`,
        depth: entry.depth + 1,
        type,
        isDeclared: true,
      })),
    ];
  });
}

/** The payload of a text; undefined for one that is empty or no JSON. */
export function readPayload(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** The payload that a workflow gets for a sample: of webhooks, people paste the body alone. */
export function inEnvelope(sample: unknown, triggers: Types): unknown {
  const isOfWebhooks = triggers.length > 0 && triggers.every(({ type }) => type === 'WEBHOOK');
  const isEnvelope = isObject(sample) && Object.hasOwn(sample, 'body');
  return isOfWebhooks && !isEnvelope ? { method: 'POST', query: {}, headers: {}, body: sample } : sample;
}
