import { cp, rm } from 'node:fs/promises';
import { clientDir, withGeneratedClient } from './client.ts';

// Separate from write-generated.ts, whose imports need the client that this writes.

await withGeneratedClient(async (generated) => {
  await rm(clientDir, { recursive: true, force: true });
  await cp(generated, clientDir, { recursive: true });
});
