import { expect, test } from 'vitest';
import { openFrontDoor } from '#src/process/front-door.ts';

test('a taken port is named, and the setting that chooses another', async () => {
  const door = await openFrontDoor({ host: '127.0.0.1', port: 0 });
  try {
    await expect(openFrontDoor({ host: '127.0.0.1', port: door.port })).rejects.toThrow(
      `Port ${door.port} of 127.0.0.1 is in use. Stop what listens there, or set PORT to another one (0 picks a free one).`,
    );
  } finally {
    await door.drain(1_000);
  }
});
