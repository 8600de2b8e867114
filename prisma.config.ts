// For Prisma's own commands: migrations are applied by src/infra/migrations/migrate.ts. A plain object, because the command
// is among the tools, whose packages cannot be imported from here.
export default { schema: 'prisma/schema', migrations: { path: 'prisma/migrations' } };
