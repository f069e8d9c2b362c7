package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.model.FamilyId;

/**
 * Asks a replica to hash its rows.
 *
 * @param nowSeconds the time against which expiry and gc grace are judged
 * @param cuts the leaves
 */
record TreeMessage(FamilyId family, long nowSeconds, MerkleSplits cuts) {}
