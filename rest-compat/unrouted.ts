import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Incoming } from '#src/graphql/context.ts';
import type { Graph } from '#src/graphql/graph.ts';
import type { Services } from '#src/infra/services.ts';
import { type Answer, jsonAnswer, refusalAnswer, sendAnswer, urlOf } from './answer.ts';
import { plainRefusal, refusalOf } from './errors.ts';
import { openSession } from './execute.ts';
import { type Face, faceAt, type Identities, tenantNamed } from './face.ts';
import { resemblingPaths } from './resembling-paths.ts';

export interface UnroutedOptions {
  graph: Graph;
  services: Services;
  faces: readonly Face[];
  identities: Identities;
}

/** Answers requests that no route takes. */
export interface Unrouted {
  /** 404 in the format of the face to which the URL belongs. */
  refusePath: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Responds with 405 and the allowed methods to every other method of the path. */
  refuseOtherMethods: (scope: FastifyInstance, face: Face, path: string, allowed: string[]) => void;
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/**
 * Unknown paths and methods count against the caller's rate limit; otherwise a client that has used up its limit could go on asking for
 * them. A caller without valid credentials has no limit to count against, and gets the same 404 or 405.
 */
export function createUnrouted({ graph, services, faces, identities }: UnroutedOptions): Unrouted {
  const identifiers = new Map(faces.map((face) => [face, face.credentials?.open({ services, identities })]));

  async function unlessOverLimit(face: Face, request: FastifyRequest, answer: Answer): Promise<Answer> {
    const { id: requestId, log, headers } = request;
    const identify = identifiers.get(face);
    if (!identify) return answer;
    try {
      await openSession(graph, {
        requestId,
        log: log as Incoming['log'],
        identify: () => identify(headers, tenantNamed(headers, face), { address: request.ip }),
        budgetOf: face.budgetOf,
        channel: 'api',
        plane: 'public',
      });
      return answer;
    } catch (error) {
      const refusal = refusalOf(error);
      return refusal?.code === 'TOO_MANY_ATTEMPTS' ? refusalAnswer(face, refusal) : answer;
    }
  }

  return {
    async refusePath(request, reply) {
      const face = faceAt(faces, request.url);
      const hint = face && resemblingPaths(face, request.url);
      const refusal = { ...plainRefusal('NOT_FOUND'), ...(hint !== undefined && { hint }) };
      const answer = face
        ? await unlessOverLimit(face, request, refusalAnswer(face, refusal))
        : jsonAnswer(refusal.status, { message: refusal.message });
      sendAnswer(reply, answer);
    },
    refuseOtherMethods(scope, face, path, allowed) {
      const { headers, ...refused } = refusalAnswer(face, plainRefusal('METHOD_NOT_ALLOWED'));
      const answer = { ...refused, headers: { ...headers, allow: allowed.join(', ') } };
      scope.route({
        method: allMethods.filter((method) => !allowed.includes(method)),
        url: urlOf(path),
        exposeHeadRoute: false,
        onRequest: async (request, reply) => sendAnswer(reply, await unlessOverLimit(face, request, answer)),
        handler: async () => undefined,
      });
    },
  };
}
