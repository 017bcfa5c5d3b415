from dgl.dataloading import GraphDataLoader


def train(model, optimizer, graphs):
    model.cuda()
    for graph, label in GraphDataLoader(graphs, batch_size=64, shuffle=True):  # want SAT201 "in the training process"
        model(graph.to("cuda"), label.cuda()).backward()
        optimizer.step()
        optimizer.zero_grad()
