package dev.colonnade.server.service.admin;

import dev.colonnade.server.storage.engine.FamilyFigures;

/** What one column family holds on this node, and what was done to it since the node started. */
public record FamilyLoad(String keyspace, String name, FamilyFigures figures) {}
