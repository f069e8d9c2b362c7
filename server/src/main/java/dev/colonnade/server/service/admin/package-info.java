/**
 * Administration: figures and maintenance of this node ({@code LocalOperations}), and what concerns
 * the cluster ({@code LiveOperations}). Interfaces for the services; what moves data of the ring is
 * in {@code cluster.membership} and {@code cluster.repair}.
 */
@NullMarked
package dev.colonnade.server.service.admin;

import org.jspecify.annotations.NullMarked;
