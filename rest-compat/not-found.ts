import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Incoming } from '#src/graphql/context.ts';
import type { Graph } from '#src/graphql/graph.ts';
import type { Services } from '#src/infra/services.ts';
import { type Answer, jsonAnswer, refusalAnswer, sendAnswer, fastifyPath } from './answer.ts';
import { plainRefusal, toRefusal } from './errors.ts';
import { openSession } from './execute.ts';
import { resemblingPaths } from './resembling-paths.ts';
import { type RestApi, apiAt, type Identities, tenantNamed } from './rest-api.ts';

export interface NotFoundOptions {
  graph: Graph;
  services: Services;
  apis: readonly RestApi[];
  identities: Identities;
}

/** Answers requests that match no route. */
export interface NotFound {
  /** 404 in the format of the API to which the URL belongs. */
  refusePath: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Responds with 405 and the allowed methods to every other method of the path. */
  refuseOtherMethods: (scope: FastifyInstance, api: RestApi, path: string, allowed: string[]) => void;
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/**
 * Unknown paths and methods count against the caller's rate limit; otherwise a client that has used up its limit could continue to request
 * them. A caller without valid credentials has no limit to count against, and gets the same 404 or 405.
 */
export function createNotFound({ graph, services, apis, identities }: NotFoundOptions): NotFound {
  const identifiers = new Map(apis.map((api) => [api, api.credentials?.open({ services, identities })]));

  async function unlessOverLimit(api: RestApi, request: FastifyRequest, answer: Answer): Promise<Answer> {
    const { id: requestId, log, headers } = request;
    const identify = identifiers.get(api);
    if (!identify) return answer;
    try {
      await openSession(graph, {
        requestId,
        log: log as Incoming['log'],
        identify: () => identify(headers, tenantNamed(headers, api), { address: request.ip }),
        rateBudget: api.rateBudget,
        channel: 'api',
        audience: 'public',
      });
      return answer;
    } catch (error) {
      const refusal = toRefusal(error);
      return refusal?.code === 'TOO_MANY_ATTEMPTS' ? refusalAnswer(api, refusal) : answer;
    }
  }

  return {
    async refusePath(request, reply) {
      const api = apiAt(apis, request.url);
      const hint = api && resemblingPaths(api, request.url);
      const refusal = { ...plainRefusal('NOT_FOUND'), ...(hint !== undefined && { hint }) };
      const answer = api
        ? await unlessOverLimit(api, request, refusalAnswer(api, refusal))
        : jsonAnswer(refusal.status, { message: refusal.message });
      sendAnswer(reply, answer);
    },
    refuseOtherMethods(scope, api, path, allowed) {
      const { headers, ...refused } = refusalAnswer(api, plainRefusal('METHOD_NOT_ALLOWED'));
      const answer = { ...refused, headers: { ...headers, allow: allowed.join(', ') } };
      scope.route({
        method: allMethods.filter((method) => !allowed.includes(method)),
        url: fastifyPath(path),
        exposeHeadRoute: false,
        onRequest: async (request, reply) => sendAnswer(reply, await unlessOverLimit(api, request, answer)),
        handler: async () => undefined,
      });
    },
  };
}
