package dev.colonnade.server.engine;

import dev.colonnade.server.cache.CacheFigures;
import dev.colonnade.server.commitlog.LogFigures;

/**
 * Figures that all families of a store share.
 *
 * @param queuedBytes mutations waiting for the log
 */
public record EngineFigures(LogFigures log, CacheFigures blockCache, long queuedBytes) {}
