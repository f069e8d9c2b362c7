package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowUpdate;
import java.util.List;

/**
 * One page of a row, resolved from all answers.
 *
 * @param page as one store that has everything would answer it
 * @param merged the resolved data, up to the nearest end of the answers
 * @param corrections what each replica lacks, in the order of the answers; empty updates for those
 *     that lack nothing
 */
public record ResolvedRow(RowPage page, RowFragment merged, List<RowUpdate> corrections) {}
