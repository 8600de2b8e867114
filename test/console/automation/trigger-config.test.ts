import { expect, test } from 'vitest';
import { askedOfTrigger } from '#console/automation/trigger-config.ts';
import { samplePayload } from '#console/automation/trigger-sample.ts';
import type { FormMember } from '#console/ui/form/field-props.ts';
import { keepMembers } from '#console/ui/form/keep-members.ts';
import { triggerConfigs } from '#src/automation/triggers/triggers.inputs.ts';
import { publicConfigs, verifierConfigs, verifiers } from '#src/infra/signing/verifier-configs.ts';

const asked = (type: string, config: unknown): readonly FormMember[] =>
  askedOfTrigger(type, config)['config']?.members ?? [];
const names = (members: readonly FormMember[] | undefined) => members?.map(({ name }) => name).toSorted();
const inside = (members: readonly FormMember[], name: string) =>
  members.find((member) => member.name === name)?.members ?? [];

test('the form of a webhook offers each way in which its caller can prove itself, and asks for what that takes', () => {
  const [by, ...others] = inside(asked('WEBHOOK', {}), 'verify');
  expect(by?.options?.map(({ value }) => value)).toEqual([...verifiers]);
  expect(others).toEqual([]);
  for (const verifier of verifiers) {
    const members = inside(asked('WEBHOOK', { verify: { verifier } }), 'verify');
    expect(names(members), verifier).toEqual(['config', 'secret_ref', 'verifier']);
    const taken = Object.keys(publicConfigs[verifier].shape).filter((name) => name !== 'ping_member');
    expect(names(inside(members, 'config')), verifier).toEqual(taken.toSorted());
    expect(inside(members, 'config').length).toBeLessThan(Object.keys(verifierConfigs[verifier].shape).length);
  }
});

test('a webhook whose way is taken back is sent without one, as the server expects it', () => {
  const entered = { respond: 'immediate', verify: { secret_ref: 'SHOP', config: { header: 'X-Key' } } };
  const kept = keepMembers([{ name: 'config', type: 'JSON', members: asked('WEBHOOK', entered) }], { config: entered });
  expect(triggerConfigs.webhook.parse(kept['config'])).toEqual({ respond: 'immediate' });
});

test('a trigger that exists is changed without losing what its form began with', () => {
  const configs = {
    WEBHOOK: {
      respond: 'on_finish',
      respond_timeout_ms: 5_000,
      verify: { verifier: 'api_key', config: { header: 'X-Api-Key' }, secret_ref: ['NEXT', 'NOW'] },
    },
    EVENT: { topics: ['order.created', 'order.cancelled'], filter: 'true' },
    SCHEDULE: { cron: '0 6 * * *', timezone: 'UTC', misfire: 'catch_up' },
    MANUAL: {},
  };
  for (const [type, config] of Object.entries(configs)) {
    const fields = [{ name: 'config', type: 'JSON', members: asked(type, config) }];
    expect(keepMembers(fields, { config }), type).toEqual({ config });
  }
});

test.each([
  [{ topics: ['order.created'] }, 'order.created'],
  [{ topic: 'order.*' }, 'order.*'],
  [{}, ''],
])('what somebody begins a run of an event trigger with names its topic: %j', (config, topic) => {
  expect(samplePayload({ type: 'EVENT', config })).toEqual({ topic, data: {} });
});
