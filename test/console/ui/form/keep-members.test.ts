import { expect, test } from 'vitest';
import { keepMembers } from '#console/ui/form/keep-members.ts';

test('what was entered for members that another choice hides is not sent', () => {
  const fields = [
    { name: 'name', type: 'String' },
    {
      name: 'config',
      type: 'JSON',
      members: [
        { name: 'secret', type: 'String' },
        { name: 'pairs', type: 'JSON', members: [{ name: 'signature', type: 'String' }] },
      ],
    },
  ];
  const values = { name: 'ERP', config: { secret: 's', username: 'old', pairs: { signature: 'v1', former: 't' } } };
  expect(keepMembers(fields, values)).toEqual({ name: 'ERP', config: { secret: 's', pairs: { signature: 'v1' } } });
  expect(keepMembers(fields, { name: 'ERP' })).toEqual({ name: 'ERP' });
  // A server takes an empty group for one that was begun.
  expect(keepMembers(fields, { config: { secret: 's', pairs: { former: 't' } } })).toEqual({ config: { secret: 's' } });
  expect(keepMembers(fields, { config: { pairs: {} } })).toEqual({ config: {} });
});
