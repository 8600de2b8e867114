import type ts from 'typescript';
import type { TypeFault } from './protocol.ts';
import { lacksMembersOfSample, readOwner } from './sample-faults.ts';

type Compiler = typeof ts;

const code = { noMember: 2339, otherMemberMeant: 2551, deletedMember: 2790 } as const;
const maxMessageCharacters = 400;

/** Messages that go on with advice on the settings of the compiler, which authors do not have. */
const withAdvice: ReadonlySet<number> = new Set([2550, 2568, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593]);

/** Faults of types that authors have not written. */
const isAboutUnwrittenTypes = ({ code: number }: ts.Diagnostic): boolean => number >= 7_000 && number < 8_000;

/** The words for a fault; undefined for one that may be wrong, because the sample does not show every value. */
export function readFault(
  compiler: Compiler,
  program: ts.Program,
  diagnostic: ts.Diagnostic,
  scopeFile: string,
): TypeFault['text'] | undefined {
  if (diagnostic.category !== compiler.DiagnosticCategory.Error) return undefined;
  if (isAboutUnwrittenTypes(diagnostic) || diagnostic.code === code.deletedMember) return undefined;
  const context = { compiler, checker: program.getTypeChecker(), scopeFile };
  if (diagnostic.code === code.noMember || diagnostic.code === code.otherMemberMeant) {
    const access = findAccess(compiler, diagnostic);
    const owner = access && readOwner(context, access.object);
    if (owner === 'new object') return undefined;
    if (owner === 'sample') return readMissing(compiler, diagnostic, access?.name ?? '');
  }
  if (lacksMembersOfSample(context, diagnostic)) return undefined;
  const full = compiler.flattenDiagnosticMessageText(diagnostic.messageText, ' ').replaceAll(/\s+/g, ' ');
  const text = withAdvice.has(diagnostic.code) ? (full.split(/(?<=\.) /, 1)[0] ?? full) : full;
  return text.length > maxMessageCharacters ? `${text.slice(0, maxMessageCharacters)}…` : text;
}

/** Other messages may have the member. One with a similar name was probably meant, unless the names differ in their digits, as `line2` from `line1`. */
function readMissing(
  compiler: Compiler,
  { code: number, messageText }: ts.Diagnostic,
  missing: string,
): TypeFault['text'] | undefined {
  if (number !== code.otherMemberMeant) return undefined;
  const quoted = compiler.flattenDiagnosticMessageText(messageText, ' ').match(/['"„“][^'"„“]+['"“”]/g);
  const meant = quoted?.at(-1)?.slice(1, -1);
  const digits = (name: string) => name.replaceAll(/\D/g, '');
  return meant === undefined || digits(meant) !== digits(missing) ? undefined : { missing, meant };
}

interface Access {
  /** The expression, or the pattern, of the object whose member is read. */
  object: ts.Node;
  name: string;
}

/** The access to a member that a fault is about: `object.name`, or `name` in a pattern. */
function findAccess(compiler: Compiler, { file, start = 0 }: ts.Diagnostic): Access | undefined {
  let found: Access | undefined;
  const visit = (node: ts.Node): void => {
    const isHere = (name: ts.Node) => name.getStart(file) === start;
    if (compiler.isPropertyAccessExpression(node) && isHere(node.name)) {
      found = { object: node.expression, name: node.name.text };
    } else if (compiler.isBindingElement(node) && isHere(node.propertyName ?? node.name)) {
      found = { object: node.parent, name: (node.propertyName ?? node.name).getText(file) };
    } else compiler.forEachChild(node, (child) => (start >= child.pos && start < child.end ? visit(child) : undefined));
  };
  if (file) visit(file);
  return found;
}
