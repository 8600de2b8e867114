import {
  getNamedType,
  getNullableType,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  print,
} from 'graphql';
import { helpForForms, impliedDefault } from './form-help.ts';

/** The input types of all mutations, of which the console makes its forms. Its shape is the `InputCatalogue` of console/graph/input-types.ts. */
export function inputCatalogue(schema: GraphQLSchema): string {
  const mutations: Record<string, string> = {};
  const inputs: Record<string, object[]> = {};
  const enums: Record<string, Record<string, string>> = {};
  const add = (type: GraphQLNamedType): void => {
    if (isEnumType(type)) {
      enums[type.name] ??= Object.fromEntries(
        type.getValues().map(({ name, description }) => [name, description ?? '']),
      );
    } else if (isInputObjectType(type) && !inputs[type.name]) {
      const fields = Object.values(type.getFields());
      inputs[type.name] = fields.map(describeField);
      for (const field of fields) add(getNamedType(field.type));
    }
  };
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const type = field.args[0] && getNamedType(field.args[0].type);
    if (!type) continue;
    mutations[field.name] = type.name;
    add(type);
  }
  return `${JSON.stringify({ mutations, inputs, enums }, null, 1)}\n`;
}

function describeField({ name, type, description, astNode }: GraphQLInputField): object {
  const inner = getNullableType(type);
  const help = helpForForms(description ?? '');
  const standard = astNode?.defaultValue ? print(astNode.defaultValue) : impliedDefault(description ?? '');
  return {
    name,
    type: getNamedType(type).name,
    ...(isListType(inner) && { isList: true }),
    ...(isNonNullType(type) && astNode?.defaultValue === undefined && { isRequired: true }),
    ...(help && { help }),
    ...(standard !== undefined && { default: standard }),
  };
}
