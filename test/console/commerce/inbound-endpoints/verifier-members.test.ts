import { expect, test } from 'vitest';
import { membersOf } from '#console/commerce/inbound-endpoints/verifier-members.ts';
import { endpointPresets } from '#src/commerce/inbound/endpoint-presets.inputs.ts';
import { secretMembers, verifierConfigs } from '#src/infra/signing/verifier-configs.ts';

test('the form of an endpoint asks for each member that its verifier takes', () => {
  for (const [verifier, { shape }] of Object.entries(verifierConfigs)) {
    const asked = membersOf({ verifier: verifier.toUpperCase() }, true);
    expect(asked.map(({ name }) => name).toSorted(), verifier).toEqual(
      Object.keys(shape)
        .filter((name) => name !== 'ping_member')
        .toSorted(),
    );
  }
});

test('an endpoint with a preset is asked for its secret alone', () => {
  for (const [preset, { verifier }] of Object.entries(endpointPresets)) {
    const asked = membersOf({ preset: preset.toUpperCase() }, true);
    expect(asked, preset).toMatchObject([{ name: secretMembers[verifier], isSecret: true, isRequired: true }]);
  }
});

test('an endpoint that exists keeps its secret where none is entered', () => {
  expect(membersOf({ verifier: 'BASIC' }, false).find(({ name }) => name === 'password')?.isRequired).toBeUndefined();
});
