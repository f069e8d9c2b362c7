package dev.colonnade.client;

/**
 * The cluster and its fixed settings.
 *
 * @param name nodes of clusters with other names are refused
 * @param partitioner turns keys into tokens; fixed when the first node started
 * @param snitch says in which rack and data centre a node is
 * @param apiVersion the version of the contract
 * @param serverVersion the version of the answering node
 */
public record ClusterDescription(
    String name, String partitioner, String snitch, String apiVersion, String serverVersion) {}
