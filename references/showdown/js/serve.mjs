// JSON lines over the standard streams: the server side of rlenv_shared.verification.reference.
import {createInterface} from 'node:readline';
import {name, version} from './package.mjs';

const PROTOCOL = 1;

/** A fault of the request.  `kind` is one that the client knows: "invalid_params" or "illegal_action". */
export class RequestError extends Error {
  constructor(message, kind = 'invalid_params') {
    super(message);
    this.kind = kind;
  }
}

/** Answers requests until the input ends.  `operations` maps a name to a function of the request. */
export function serve(operations) {
  const all = {
    hello: ({protocol}) => {
      if (protocol !== PROTOCOL) throw new RequestError(`protocol ${protocol}, this driver speaks ${PROTOCOL}`);
      return {protocol: PROTOCOL, name, version};
    },
    ...operations,
  };
  createInterface({input: process.stdin}).on('line', line => {
    process.stdout.write(JSON.stringify(answer(all, line)) + '\n');
  });
}

function answer(operations, line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch (error) {
    return {id: null, ok: false, error: `no JSON: ${error.message}`, kind: 'invalid_params'};
  }
  const id = request?.id ?? null;
  try {
    if (!Object.hasOwn(operations, request.op)) {
      throw new RequestError(`operation ${request.op}, this driver has ${Object.keys(operations).join(', ')}`);
    }
    return {id, ok: true, result: operations[request.op](request)};
  } catch (error) {
    if (error instanceof RequestError) return {id, ok: false, error: error.message, kind: error.kind};
    return {id, ok: false, error: String(error?.stack ?? error), kind: 'internal'};
  }
}
