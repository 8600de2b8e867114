import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { test } from '#test/setup/console-test.ts';
import { chooseUser } from '#test/setup/console.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

const answer = { 200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } } };

const description = {
  openapi: '3.1.0',
  info: { title: 'Depot', version: '1' },
  servers: [{ url: 'https://depot.example/v1' }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  security: [{ key: [] }],
  paths: {
    '/parcels': {
      get: { tags: ['Parcels'], summary: 'List parcels', responses: answer },
      post: { tags: ['Parcels'], summary: 'Send a parcel', responses: answer },
    },
    '/shelves': { get: { tags: ['Shelves'], summary: 'List shelves', responses: answer } },
  },
};

const file = { name: 'depot.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(description)) };

describe.skipIf(browserIsMissing)(`Connect an API${skippedSuffix}`, () => {
  test(
    'an operator makes nodes of a description and finds them in the list',
    startsProcesses,
    async ({ context, served }) => {
      const page = await context.newPage();
      await page.goto(served.url);
      await chooseUser(page, { role: 'Operator' });
      await page.getByRole('navigation').getByRole('link', { name: 'Nodes' }).first().click();
      await page.getByRole('link', { name: 'Connect an API' }).click();
      await page.getByLabel('File').setInputFiles(file);
      await page.getByRole('button', { name: 'Read the description' }).click();
      await page.getByText('Depot: 3 operations.').waitFor();
      await page.getByLabel('Group').selectOption('Parcels');
      await page.getByRole('button', { name: 'Choose all 2' }).click();
      await page.getByLabel('Search operations').fill('send');
      await page.getByRole('checkbox', { name: /Send a parcel/ }).uncheck();
      await page.getByText('1 of 3 are chosen').waitFor();
      await page.getByRole('button', { name: 'Publish 1 node' }).click();
      await page.getByText('depot-nodes 1.0.0 is published.').waitFor();
      // The operator is in no tenant, so there are no links to its credentials and workflows.
      await page.getByText(/^An administrator of a tenant adds a credential of the type Depot: key/).waitFor();
      await page.getByRole('link', { name: 'Back to the nodes' }).click();
      await page.getByPlaceholder('Name, slug or description').fill('depot');
      await page.getByText('depot:get-parcels').waitFor();
      expect(await page.getByText(/^depot:/).allInnerTexts()).toEqual(['depot:get-parcels']);
    },
  );
});
