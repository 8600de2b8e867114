import type ts from 'typescript';

interface Context {
  compiler: typeof ts;
  checker: ts.TypeChecker;
  /** The file with the declarations that are made from the sample. */
  scopeFile: string;
}

/** Says whether the members of an object come from the sample, or are still to be added to an object that was written as `{}`. */
export function readOwner(context: Context, object: ts.Node): 'sample' | 'new object' | undefined {
  const { compiler, checker } = context;
  const pattern = compiler.isObjectBindingPattern(object) ? object.parent : undefined;
  const given = pattern && compiler.isVariableDeclaration(pattern) && pattern.initializer;
  const objects = listObjects(context, checker.getTypeAtLocation(given || object));
  if (objects.some((type) => isFromSample(context, type))) return 'sample';
  const isEmptyObject = ({ symbol }: ts.Type) =>
    symbol !== undefined && (symbol.flags & compiler.SymbolFlags.ObjectLiteral) !== 0 && symbol.members?.size === 0;
  return objects.length > 0 && objects.every(isEmptyObject) ? 'new object' : undefined;
}

const lacksMembers: ReadonlySet<number> = new Set([2739, 2740, 2741]);

/** True where a value of the sample only lacks members of the author's type: other values may have them. */
export function lacksMembersOfSample(context: Context, diagnostic: ts.Diagnostic): boolean {
  const { compiler, checker } = context;
  if (!listCodes(diagnostic).some((code) => lacksMembers.has(code))) return false;
  const node = findNode(compiler, diagnostic);
  if (!node) return false;
  // The parameters of a function that is passed on get the sample's values.
  if (compiler.isFunctionLike(node)) return true;
  const { parent } = node;
  const given = compiler.isVariableDeclaration(parent) && parent.name === node ? parent.initializer : node;
  const type = checker.getTypeAtLocation(given ?? node);
  return listObjects(context, type)
    .flatMap((each) => (checker.isArrayType(each) ? checker.getTypeArguments(each as ts.TypeReference) : [each]))
    .some((each) => isFromSample(context, each));
}

const listObjects = ({ compiler }: Context, type: ts.Type): ts.Type[] =>
  (type.isUnion() ? type.types : [type]).filter((part) => part.flags & compiler.TypeFlags.Object);

const isFromSample = ({ scopeFile }: Context, { symbol }: ts.Type): boolean =>
  symbol?.declarations?.some((each) => each.getSourceFile().fileName === scopeFile) === true;

function listCodes({ code, messageText }: ts.Diagnostic): number[] {
  const listed = ({ code: own, next = [] }: ts.DiagnosticMessageChain): number[] => [own, ...next.flatMap(listed)];
  return typeof messageText === 'string' ? [code] : listed(messageText);
}

function findNode(compiler: typeof ts, { file, start = 0, length = 0 }: ts.Diagnostic): ts.Node | undefined {
  const visit = (node: ts.Node): ts.Node | undefined => {
    if (start < node.pos || start >= node.end) return undefined;
    const isFound = node.getStart(file) === start && node.end === start + length;
    return isFound ? node : compiler.forEachChild(node, visit);
  };
  return file && visit(file);
}
