import { memo, type ReactNode, useCallback } from 'react';
import { CodeField } from './code/code-field.tsx';
import type { CodeLanguage } from './code/code-format.ts';
import { ConfigField } from './config-field.tsx';
import type { ConfigFieldProps } from './nested/form-levels.ts';

interface Props extends Pick<ConfigFieldProps, 'field' | 'value' | 'isDisabled' | 'node' | 'hasBranches'> {
  formId: string;
  put: (key: string, value: unknown) => void;
  /** Set for a field that holds code. */
  language: CodeLanguage | undefined;
  children?: ReactNode;
}

/** A field at the top of a form. Rendered again only when the field changes, because a form may have hundreds. */
export const TopField = memo(function TopField({ formId, field, put, language, children, ...props }: Props) {
  const { key } = field;
  const set = useCallback((value: unknown) => put(key, value), [put, key]);
  const id = `${formId}-${key}`;
  if (language !== undefined) {
    const { value, isDisabled } = props;
    return (
      <CodeField {...{ field, value, set, isDisabled, id, language }} path={key}>
        {children}
      </CodeField>
    );
  }
  return (
    <ConfigField {...props} {...{ field, set, id }} path={key}>
      {children}
    </ConfigField>
  );
});
