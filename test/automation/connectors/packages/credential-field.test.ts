import { expect, test } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';

const metadata = `<edmx:Edmx Version="4.0"><edmx:DataServices><Schema Namespace="Shop">
  <EntityType Name="Row"><Key><PropertyRef Name="Id"/></Key><Property Name="Id" Type="Edm.Int32"/></EntityType>
  <EntityContainer Name="C"><EntitySet Name="Rows" EntityType="Shop.Row"/></EntityContainer>
</Schema></edmx:DataServices></edmx:Edmx>`;

test.each([
  ['https://erp.example/odata/$metadata', undefined],
  ['metadata.xml', true],
])('a login that is optional at %s is required as the address of the API: %s', async (from, required) => {
  const description = await readDescription(Buffer.from(metadata), { from });
  const { nodes } = makePackage(description, { all: true }, 'shop');
  expect(nodes.length).toBeGreaterThan(0);
  for (const { config = [] } of nodes) expect(config.find(({ key }) => key === 'credential')?.required).toBe(required);
});
