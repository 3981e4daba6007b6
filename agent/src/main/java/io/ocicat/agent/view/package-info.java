/** The cluster as an agent sees it: the resources that concern a node, followed by watches. */
@NullMarked
package io.ocicat.agent.view;

import org.jspecify.annotations.NullMarked;
