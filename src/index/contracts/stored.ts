/** Reads the stored records of deployments. Version 1 serves the text of a canonical one without parsing it. */
import type { JsonObject } from '../../base/lib/json.ts';
import type { contractRecord } from './deployment.ts';

/** A deployment as DEPLOYMENTS stores it; `abi` is JSON text. */
type StoredDeployment = Readonly<ReturnType<typeof contractRecord>>;

/** The deployment of a column `record` of DEPLOYMENTS. */
export const readStoredDeployment = (record: string): StoredDeployment => JSON.parse(record) as StoredDeployment;

/** The reduced function of a column `json` of FUNCTION_SHAPES. */
export const readStoredShape = (json: string): JsonObject => JSON.parse(json) as JsonObject;

/** The interface of a deployment. */
export const readStoredInterface = (abi: string): unknown => JSON.parse(abi);
