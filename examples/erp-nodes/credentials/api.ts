import { defineCredentialType } from '@causeway/node-kit';

export const { test } = defineCredentialType<{ base_url: string; token: string }>({
  async test({ config, http }) {
    const response = await http.request({
      url: `${config.base_url.replace(/\/$/, '')}/health`,
      headers: { authorization: `Bearer ${config.token}` },
    });
    return response.status === 200
      ? { ok: true, message: 'The ERP accepts the token.' }
      : { ok: false, message: `The ERP answered ${response.status}.` };
  },
});
